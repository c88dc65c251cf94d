"""What the text of a model means: types, entities, relations, implementations, and every name resolved to one of them."""
