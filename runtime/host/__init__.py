"""The host driver: translated programs compiled by the machine's C++ compiler and run on its cores."""
