"""What libraries say about files, keys, addresses and servers, as patterns, and what people read instead."""

from __future__ import annotations

from typing import Final

__all__ = ["LIBRARY_WORDS"]

_DAMAGED: Final = "its data is damaged"
_NO_HOST: Final = "it is no name of a host"
_VALUE_MISSING: Final = "a value is missing"
_NO_BASE64: Final = "it is no base64 text"

_JSON: Final = (
    (r"Expecting value", _VALUE_MISSING),
    (r"Expecting property name enclosed in double quotes", "a key in double quotes is missing"),
    (r"Expecting (':'|',') delimiter", "{0} is missing"),
    (r"Illegal trailing comma before end of \w+", "there is a comma with nothing behind it"),
    (r"Invalid control character at", "a text holds a control character"),
    (r"Unterminated string starting at", "the text has no end"),
    (r"Extra data", "there is something behind its end"),
    (r"Invalid \\+escape|Invalid \\uXXXX escape", "a backslash cannot stand before this"),
)
"""Of the `json` of Python; line and column are its attributes."""

_TOML: Final = (
    (r"Expected (']+') at the end of a(?:n array)? (?:table )?declaration", "{0} is missing"),
    (r"Expected '=' after a key in a key/value pair", "'=' is missing"),
    (r"Expected newline or end of document after a statement", "something stands behind the value"),
    (r"Invalid value", "there is no value, or it is not written like this"),
    (r"Invalid statement", "a line begins with a key or with ["),
    (r"Invalid initial character for a key part", "a key is missing, or needs quotes"),
    (r"Cannot overwrite a value|Cannot declare .* twice|Cannot redefine namespace .*|Duplicate .*key.*", "a name is there twice"),
    (r"Cannot mutate immutable namespace .*", "a name is there twice"),
    (r"Unterminated string", "the text has no end"),
    (r"Unclosed array", "']' is missing"),
    (r"Unclosed inline table", "'}}' is missing"),
    (r"Unescaped '\\+' in a string", "a backslash cannot stand before this"),
    (r"Illegal character (.*)", "{0} cannot stand here"),
    (r"Escaped character is not a Unicode scalar value", "there is no such character"),
    (r"Invalid hex value", "there is no such character"),
    (r"Invalid date or datetime", "there is no such date"),
)  # fmt: skip
_INI: Final = (
    (r"File contains no section headers\.\s*file: .*, line: (\d+)\s.*", "line {0} stands in no [section]"),
    (r"Source contains parsing errors: .*?\[line\s+(\d+)\].*", "line {0} is no NAME = VALUE"),
    (r"While reading from .* \[line\s+(\d+)\]: section (.*) already exists", "line {0} begins the section {1} again"),
    (r"While reading from .* \[line\s+(\d+)\]: option (.*) in section .* already exists", "line {0} sets {1} again"),
    (r"Bad value substitution: option (.*?) in section (.*?) contains .*", "what {0} of {1} refers to is not there"),
    (r"'%' must be followed by .*", "'%' is written as '%%'"),
)  # fmt: skip
_FILES: Final = (
    (r"Invalid base64-encoded string.*|(?:Incorrect|Excess|Leading) (?:data after )?padding.*", _NO_BASE64),
    (r"Only base64 data is allowed|Non-base64 digit found|Discontinuous padding.*", _NO_BASE64),
    (r"string argument should contain only ASCII characters", _NO_BASE64),
    (r"Non-hexadecimal digit found|Odd-length string", "it is no hexadecimal text"),
    (r"File is not a zip file", "it is no ZIP archive"),
    (r"Error -?\d+ while decompressing data.*|Bad (?:CRC-32|magic number|offset|local header).*", _DAMAGED),
    (
        r"Truncated file header|Compressed file ended before .*|unexpected end of data|not a gzip file.*",
        _DAMAGED,
    ),
    (r"Corrupt .*|Invalid data stream|Corrupt input data|Unsupported compression .*", _DAMAGED),
    (r"File .* is encrypted, password required for extraction", "it is encrypted"),
    (
        r"That compression method is not supported.*|compression type \d+ .*",
        "its compression is not known here",
    ),
)
_KEYS: Final = (
    (r"Unable to load PEM file.*|Valid PEM but no BEGIN.*|No PEM start marker.*", "it is no PEM file"),
    (r"Could not deserialize key data.*|Could not (?:decode|parse) key.*", "it is no key that can be read"),
    (r"Password was (?:not )?given but private key is (?:not )?encrypted.*", "it is encrypted, or a passphrase is given and it is not"),
    (r"(?:Invalid|Incorrect) password.*|Bad decrypt.*", "the passphrase is wrong"),
    (r"(?:error parsing asn1 value|ASN\.1 parsing error).*", _DAMAGED),
    (r"\[[\w: ]*\] PEM lib.*", "it holds no certificate with its key"),
    (r".*certificate verify failed: ([^(\[]*?)(?: ?\(_ssl\.c:\d+\))?\W*", "its certificate is not trusted: {0}"),
    (r"\[(?:SSL|X509|PEM|ASN1)[^\]]*\] ([^(]*?)(?: \(_ssl\.c:\d+\))?", "{0}"),
)  # fmt: skip
_SERVERS: Final = (
    (
        r"encoding with 'idna' codec failed.*|label (?:empty or )?too long|.*codepoint .* not allowed.*",
        _NO_HOST,
    ),
    (r".*\[Errno -?\d+\] ([^\[\]<>'\"()]*[^\[\]<>'\"() ]).*", "{0}"),
    (r"All connection attempts failed", "no connection can be made"),
    (r"<urlopen error (.*)>", "{0}"),
    (
        r"nonnumeric port: (.*)|Port could not be cast to integer value as (.*)",
        "the port {0}{1} is no number",
    ),
    (r"\(\w+\.\w+\) ([^\n]*).*", "{0}"),
    (r"Can't load plugin: sqlalchemy\.dialects:(\S+)", "there is no kind of database {0!r}"),
    (r"Could not parse SQLAlchemy URL from .*", "it is no address of a database"),
    (r"(.*) does not appear to be an IPv4 or IPv6 (\w+)", "{0} is no IP {1}"),
    (r"(.*)\n\nFailed validating .*", "{0}"),
)
_TEMPLATES: Final = (
    (r"access to attribute '(\w+)' of '\w+' object is unsafe\.?", "a template may not read '{0}'"),
    (r"no loader for this environment specified", "a template takes nothing from other files here"),
)
_FORMATS: Final = (
    (r"Replacement index \d+ out of range for positional args tuple", "the format wants more values"),
    (r"Single '(.)' encountered in format string", "a '{0}' of the format stands alone; '{0}{0}' means the sign itself"),
    (r"expected '(.)' before end of string", "'{0}' is missing at the end of the format"),
    (r"Unknown conversion specifier (.*)", "the format has no '!{0}'"),
)  # fmt: skip

LIBRARY_WORDS: Final = (*_JSON, *_TOML, *_INI, *_FILES, *_KEYS, *_SERVERS, *_TEMPLATES, *_FORMATS)
