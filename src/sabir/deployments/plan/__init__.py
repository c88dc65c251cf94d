"""Plans: the steps from what is recorded to what is wanted."""
