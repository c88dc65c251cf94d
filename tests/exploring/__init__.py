"""Names and completion in texts that are typed, for every language that has them."""
