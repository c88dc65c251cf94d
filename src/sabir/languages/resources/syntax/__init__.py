"""Text of resources → typed nodes, and what is wrong with them."""
