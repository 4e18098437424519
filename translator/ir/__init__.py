"""The typed program between front ends and emission: nodes, types, source positions, linking. It imports no front end."""
