"""The small archive that the rules about archives show: its key was made for it, and is kept nowhere."""

from __future__ import annotations

from typing import Final

from sabir.languages.tosca.syntax.examples import example
from sabir.languages.tosca.syntax.recognition import META

__all__ = ["ARCHIVE", "MANIFEST", "META_TEXT", "SIGNATURE", "SIGNATURE_ALONE"]

META_TEXT: Final = "TOSCA-Meta-File-Version: 1.1\nEntry-Definitions: template.yaml\n"
ARCHIVE: Final = {**example(""), META: META_TEXT}
# Of the template above.
_HASH: Final = "34c30138abbad10f9091dd81c2d1c7dca3e031187c74de101c397b45384fd1d1"
MANIFEST: Final = f"Source: template.yaml\nAlgorithm: SHA-256\nHash: {_HASH}\n"
SIGNATURE: Final = """\
-----BEGIN CMS-----
MIICOQYJKoZIhvcNAQcCoIICKjCCAiYCAQExDTALBglghkgBZQMEAgEwCwYJKoZI
hvcNAQcBoIIBFjCCARIwgbmgAwIBAgIBATAKBggqhkjOPQQDAjASMRAwDgYDVQQD
DAdleGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjASMRAw
DgYDVQQDDAdleGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaizzrUA8
Wo9fEbxY3GgOzCwVBsRRY7P6qRtVMzNknO1O0+eg/drUMSwWpAFndSCGU1aar9kK
sLn10WWfO1P4kTAKBggqhkjOPQQDAgNIADBFAiEAlkjlh2R/V4AS1DsD43tMHOz5
Z1lypfLCNyhoZAf6yVECIBs8/riEEslV7ex5FYmbDX6UTUK4ZaYQLw3XN3Rpw6Jo
MYHqMIHnAgEBMBcwEjEQMA4GA1UEAwwHZXhhbXBsZQIBATALBglghkgBZQMEAgGg
aTAYBgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwGCSqGSIb3DQEJBTEPFw0yNjEx
MTgwNjUxMzdaMC8GCSqGSIb3DQEJBDEiBCBCW/jO5HohC0ASPEnQcHLdt5UFtpih
H0DpzMQwcLhsajAKBggqhkjOPQQDAgRFMEMCIBo6vsQ/CYN1mZ1Npvc42ptEg3Li
G3VowUd+SGjh7e39Ah93veCD48i2xCMXhIMgxJihthJ2s5lQ4G6qt+lqNlDh
-----END CMS-----
"""
"""Of the manifest, with the certificate of its signer."""
SIGNATURE_ALONE: Final = """\
-----BEGIN CMS-----
MIIBIAYJKoZIhvcNAQcCoIIBETCCAQ0CAQExDTALBglghkgBZQMEAgEwCwYJKoZI
hvcNAQcBMYHrMIHoAgEBMBcwEjEQMA4GA1UEAwwHZXhhbXBsZQIBATALBglghkgB
ZQMEAgGgaTAYBgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwGCSqGSIb3DQEJBTEP
Fw0yNjExMTgwNjUxMzdaMC8GCSqGSIb3DQEJBDEiBCBCW/jO5HohC0ASPEnQcHLd
t5UFtpihH0DpzMQwcLhsajAKBggqhkjOPQQDAgRGMEQCIHKAdQMbehbxaHsQoW6Y
gtDMp95JPwKtWzVwaBwMEg8WAiA3CdqJHIbWJy0iXYcu891jbPmNtF4RWSE2yNq5
8Uyz2Q==
-----END CMS-----
"""
"""Of the manifest, without it."""
