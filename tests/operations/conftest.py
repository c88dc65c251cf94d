from tests.checks.toy import toy

__all__ = ["toy"]
