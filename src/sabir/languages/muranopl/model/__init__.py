"""What checks and evaluation share: classes and objects, contracts, failures, functions of plain values."""
