"""How arrays are exchanged with other libraries without a copy: DLPack and __cuda_array_interface__. It may import runtime only."""
