"""What a deployment means: units and what they wait for, nodes and what runs on them; shared by checks and evaluation."""
