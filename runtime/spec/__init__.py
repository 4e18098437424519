"""Facts of the OpenCL specification as tables: codes, errors, versions, how a query is answered. It imports no other room."""
