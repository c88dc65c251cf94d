"""The checking framework of spec 001: validators, checkers, the application, formatters. It knows no language."""
