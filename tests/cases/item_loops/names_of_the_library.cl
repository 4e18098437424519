// form: loops
// global: 64
// local: 16
kernel void names_of_the_library(global const int *in, global int *out, int n, local int *tmp) {
    int item = get_local_id(0), items = get_global_id(0), ended = get_local_size(0), ends = in[items];
    int for_each_item = ends + 1, item_array = 2;
    tmp[item] = ends;
    barrier(CLK_LOCAL_MEM_FENCE);
    for_each_item += tmp[(item + 1) % ended];
    if (items == 3) { out[items] = for_each_item; return; }
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[item] = for_each_item + item_array;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[items] = tmp[ended - 1 - item] + for_each_item;
}
