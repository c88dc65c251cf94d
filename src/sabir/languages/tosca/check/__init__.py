"""What is wrong with a TOSCA template: names, types, values, requirements."""
