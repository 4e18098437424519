// half as storage (6.1.1.2): its bits. Only vload_half, vstore_half and their kin look inside.

namespace ocl {

struct half {
    ushort bits;
};

}  // namespace ocl
