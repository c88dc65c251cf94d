"""What checks and evaluation share: classes and objects, contracts, failures, and the functions of plain values."""
