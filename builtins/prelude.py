"""What stands before the user's code: the used part of the device library, composed for one port.

Owns the choice of items (those that the uses name, and their closure), their order, and the frame around them. It must not
know a single built-in function by name: signatures are `table`'s, code is in the section files (`*.cuh`) or composed from a
row by `compose` and `conversions`.

The section files are plain C++ that Python takes apart (`items`):

* An item is one definition: a line of code in column 0 and the lines after it that are indented or begin with `}`.
* Its name is read off its first line; functions are told apart by their parameter types.
* Between `namespace ocl {` and `}  // namespace ocl` it is the library's; outside it is global: there the host port supplies
  CUDA's vocabulary.
* Its dependencies are the identifiers in it: `::name` is a global item, `name` one of the library's, else a global one. All
  items of that name come along. Vector operators are not seen: library code writes components out.
* `//` lines directly above an item are its comment.
* `//: name name` directly above names the items explicitly, and everything to the next blank line is one item.
  `//: always` puts it into every prelude.
"""
