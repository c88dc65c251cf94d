"""The languages, one folder each; they meet in the graph only."""
