// form: loops
// global: 64
// local: 16
// Addresses that are computed before a barrier and used behind it: of elements by ids, of members, of the pointee of a pointer that the
// barrier's other side may change, and of an element whose subscript another work-item writes.
typedef struct { int first; int2 rest[4]; } record;

kernel void addresses_again(global const int *in, global int *out, int n, local int *room) {
    local int tile[4][4];
    local record records[16];
    local int *local where;
    int id = get_local_id(0), row = id / 4, column = id % 4;
    local int *own = &tile[row][column], *turned = &tile[column][row];
    local int2 *kept = &records[id].rest[row];
    local int *first = &records[15 - id].first;
    global int *place = &out[get_global_id(0)];
    if (id == 0) where = &tile[3][0];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *other = where, *next = &where[column];  // read before they change
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 1) where = &tile[0][0];
    *own = in[get_global_id(0)];
    *kept = (int2)(id, in[id]);
    records[id].first = 3 * id;
    room[id] = (id * 5 + 1) % 16;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *chosen = &tile[room[id] / 4][0];
    barrier(CLK_LOCAL_MEM_FENCE);
    room[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    *place = *turned + 7 * kept->y + 1000 * *first + 3 * *chosen + 11 * *next + (other == next - column) + 5 * where[1];
}
