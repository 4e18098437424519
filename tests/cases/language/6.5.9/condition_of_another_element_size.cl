// 6.5.9: Their types match, or an implicit conversion makes them match.
// expect: error "vector condition type 'int4' and result type 'short4' do not have the same number and size of elements" at line 6
kernel void condition_of_another_element_size(global int *out) {
    int4 c = (int4)(1);
    short4 v = (short4)(1);
    v = c ? v : v;
}
