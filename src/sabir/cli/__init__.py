"""The command line: turns arguments into a call of an operation and shows its result."""

import gc

# Most of a short run is loading modules; collecting among them finds nothing and costs a tenth of it. Set here, before click
# and everything else is loaded, and by the process's interface only: `import sabir` leaves the collector alone.
gc.set_threshold(100_000)
