// Where one is on the page is its address: #/token/TOKEN (signs in, and is forgotten), #/catalogue, #/packages/ID, #/environments, #/environments/ID/TAB.
import { get, post, remove, Refused } from "./api.js";
import { catalogue, packagePage } from "./catalogue.js";
import { h, fill, note, say } from "./dom.js";
import { environmentPage, environments } from "./environments.js";

const main = document.getElementById("main");
const ROUTES = [
  [/^#\/token\/(.+)$/, signedIn, "Catalogue"],
  [/^#\/packages\/([^/]+)$/, packagePage, "Catalogue"],
  [/^#\/environments\/([^/]+)(?:\/([^/]+))?$/, environmentPage, "Environments"],
  [/^#\/environments$/, environments, "Environments"],
  [/.*/, catalogue, "Catalogue"],
];
let leave = () => undefined;

async function show() {
  leave();
  leave = () => undefined;
  const [pattern, view, section] = ROUTES.find(([address]) => address.test(location.hash));
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.textContent === section) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.classList.remove("wide");
  delete main.dataset.shown;
  try {
    leave = (await view(main, ...location.hash.match(pattern).slice(1))) ?? leave;
    document.title = `${main.querySelector("h1")?.textContent ?? "sabir"} · sabir`;
    main.dataset.shown = location.hash;
    say(document.title);
  } catch (error) {
    if (error instanceof Refused && error.status === 401) login();
    else fill(main, h("h1", {}, "That did not work"), note(error.message));
  }
}

// The address that the first start of the service prints. The token leaves the address, and the history of the browser, at once.
async function signedIn(_, token) {
  history.replaceState(null, "", "#/catalogue");
  try {
    await post("/session", { token });
  } catch (error) {
    login(error.message);
    return;
  }
  await who();
  await show();
}

function login(message) {
  const token = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true, class: "grow" });
  const send = async (event) => {
    event.preventDefault();
    try {
      await post("/session", { token: token.value });
      await who();
      await show();
    } catch (error) {
      login(error.message);
    }
  };
  fill(main,
    h("h1", {}, "Sign in"),
    message ? note(message) : null,
    h("form", { onsubmit: send }, h("input", { type: "text", autocomplete: "username", value: "token", hidden: true }), h("div", { class: "field" }, h("label", { for: "token" }, "Token"), token), h("button", { class: "main" }, "Sign in")),
    h("p", { class: "soft" }, "The first start of the service printed one; `sabir serve DATA --new-token NAME` makes another."));
  document.title = "Sign in · sabir";
  token.focus();
}

async function who() {
  const place = document.getElementById("who");
  try {
    const me = await get("/session");
    const out = async () => {
      await remove("/session");
      fill(place);
      login();
    };
    fill(place, `${me.name} (${me.role}) `, h("button", { type: "button", onclick: out }, "Sign out"));
  } catch {
    fill(place);
  }
}

const theme = document.getElementById("theme");
const stored = localStorage.getItem("sabir-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.documentElement.dataset.theme = stored;
theme.addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("sabir-theme", next);
});
addEventListener("hashchange", () => show().then(() => {
  if (!sessionStorage.getItem("sabir-tab")) {
    main.focus({ preventScroll: true }); // the header stays in sight
    scrollTo(0, 0);
  }
  sessionStorage.removeItem("sabir-tab");
}));
who().then(show);
