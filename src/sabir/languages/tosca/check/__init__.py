"""Static checks of TOSCA templates and archives: names, types, values, requirements."""
