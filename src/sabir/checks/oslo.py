"""Options of the checker for services that read their configuration with oslo.config.

    conf.register_opts(dict(list_opts())["sabir"], group="sabir")
    application = Application(conf.sabir)

Only `list_opts` imports oslo.config, which is an optional dependency. The entry point `oslo.config.opts` names this module, so
that oslo.config's sample generator finds it.
"""

from __future__ import annotations

from typing import Any


def list_opts() -> list[tuple[str, list[Any]]]:
    """Return the options by group, as oslo.config's sample generator expects them."""
    from oslo_config import cfg

    return [
        (
            "sabir",
            [
                cfg.ListOpt("select", default=[], help="Report these codes only: MPL:E042, E042, W or MPL."),
                cfg.ListOpt("ignore", default=[], help="Do not report these codes."),
                cfg.ListOpt(
                    "extend_select", default=[], help="Report these codes, too: those off by default."
                ),
                cfg.ListOpt("scope", default=[], help="Run these validators only, by short or long name."),
                cfg.ListOpt("rules", default=[], help="Policy files that are asked of the evaluated graph."),
                cfg.BoolOpt("strict", default=False, help="Warnings fail a check, too."),
                cfg.StrOpt("language", help="Take packages as written in this language."),
                cfg.BoolOpt("suppressions", default=True, help="Heed '# sabir: ignore[...]' comments."),
                cfg.BoolOpt("require_reason", default=False, help="Report suppressions without a reason."),
                cfg.DictOpt("per_path_ignores", default={}, help="Codes to ignore by path pattern."),
                cfg.ListOpt("exclude", default=[], help="What is left out in a folder of packages."),
                cfg.ListOpt("search_path", default=[], help="Further folders with packages or modules."),
                cfg.ListOpt("imports", default=[], help="Copies of imported addresses: URL=PATH."),
                cfg.StrOpt("deployment", help="The configuration of the deployment that packages belong to."),
            ],
        )
    ]
