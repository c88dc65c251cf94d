from tests.check.toy import toy

__all__ = ["toy"]
