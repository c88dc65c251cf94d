"""The meaning of a model's source: types, entities, relations, implementations, resolved names."""
