"""The functions that chapter 6.15 of the OpenCL C 3.0 specification describes, each under the section that has it first.

Read off the specification's text, not off our table. Families that the text writes with a placeholder, such as
work_group_reduce_<op>, stand here in all their names.
"""

from __future__ import annotations

_SECTIONS = {
    "6.15.1": """
        get_enqueued_local_size get_enqueued_num_sub_groups get_global_id get_global_linear_id get_global_offset get_global_size
        get_group_id get_local_id get_local_linear_id get_local_size get_max_sub_group_size get_num_groups get_num_sub_groups
        get_sub_group_id get_sub_group_local_id get_sub_group_size get_work_dim
    """,
    "6.15.2": """
        acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt ceil copysign cos cosh cospi erf erfc exp exp10
        exp2 expm1 fabs fdim floor fma fmax fmin fmod fract frexp half_cos half_divide half_exp half_exp10 half_exp2 half_log
        half_log10 half_log2 half_powr half_recip half_rsqrt half_sin half_sqrt half_tan hypot ilogb ldexp lgamma lgamma_r log
        log10 log1p log2 logb mad max maxmag minmag modf nan native_cos native_divide native_exp native_exp10 native_exp2
        native_log native_log10 native_log2 native_powr native_recip native_rsqrt native_sin native_sqrt native_tan nextafter pow
        pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc
    """,
    "6.15.3": """
        abs abs_diff add_sat clamp clz ctz dot dot_4x8packed_ss_int dot_4x8packed_su_int dot_4x8packed_us_int
        dot_4x8packed_uu_uint dot_acc_sat dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_su_int dot_acc_sat_4x8packed_us_int
        dot_acc_sat_4x8packed_uu_uint hadd mad24 mad_hi mad_sat min mul24 mul_hi popcount rhadd rotate sub_sat upsample
    """,
    "6.15.3.1": """
        bit_reverse bitfield_extract_signed bitfield_extract_unsigned bitfield_insert
    """,
    "6.15.4": """
        degrees mix radians sign smoothstep step
    """,
    "6.15.5": """
        cross distance fast_distance fast_length fast_normalize length normalize
    """,
    "6.15.6": """
        all any bitselect isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal
        isordered isunordered select signbit
    """,
    "6.15.7": """
        vload16 vload2 vload3 vload4 vload8 vload_half vload_half16 vload_half2 vload_half3 vload_half4 vload_half8 vloada_half16
        vloada_half2 vloada_half3 vloada_half4 vloada_half8 vstore16 vstore2 vstore3 vstore4 vstore8 vstore_half vstore_half16
        vstore_half16_rte vstore_half16_rtn vstore_half16_rtp vstore_half16_rtz vstore_half2 vstore_half2_rte vstore_half2_rtn
        vstore_half2_rtp vstore_half2_rtz vstore_half3 vstore_half3_rte vstore_half3_rtn vstore_half3_rtp vstore_half3_rtz
        vstore_half4 vstore_half4_rte vstore_half4_rtn vstore_half4_rtp vstore_half4_rtz vstore_half8 vstore_half8_rte
        vstore_half8_rtn vstore_half8_rtp vstore_half8_rtz vstore_half_rte vstore_half_rtn vstore_half_rtp vstore_half_rtz
        vstorea_half16 vstorea_half16_rte vstorea_half16_rtn vstorea_half16_rtp vstorea_half16_rtz vstorea_half2 vstorea_half2_rte
        vstorea_half2_rtn vstorea_half2_rtp vstorea_half2_rtz vstorea_half3 vstorea_half3_rte vstorea_half3_rtn vstorea_half3_rtp
        vstorea_half3_rtz vstorea_half4 vstorea_half4_rte vstorea_half4_rtn vstorea_half4_rtp vstorea_half4_rtz vstorea_half8
        vstorea_half8_rte vstorea_half8_rtn vstorea_half8_rtp vstorea_half8_rtz
    """,
    "6.15.8": """
        barrier sub_group_barrier work_group_barrier
    """,
    "6.15.9": """
        mem_fence read_mem_fence write_mem_fence
    """,
    "6.15.10": """
        get_fence to_global to_local to_private
    """,
    "6.15.11": """
        async_work_group_copy async_work_group_copy_fence async_work_group_strided_copy prefetch wait_group_events
    """,
    "6.15.11.1": """
        async_work_group_copy_2D2D async_work_group_copy_3D3D
    """,
    "6.15.12.2": """
        atomic_init
    """,
    "6.15.12.7.1": """
        atomic_store atomic_store_explicit
    """,
    "6.15.12.7.2": """
        atomic_load atomic_load_explicit
    """,
    "6.15.12.7.3": """
        atomic_exchange atomic_exchange_explicit
    """,
    "6.15.12.7.4": """
        atomic_compare_exchange_strong atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak
        atomic_compare_exchange_weak_explicit
    """,
    "6.15.12.7.5": """
        atomic_fetch_add atomic_fetch_add_explicit atomic_fetch_and atomic_fetch_and_explicit atomic_fetch_max
        atomic_fetch_max_explicit atomic_fetch_min atomic_fetch_min_explicit atomic_fetch_or atomic_fetch_or_explicit
        atomic_fetch_sub atomic_fetch_sub_explicit atomic_fetch_xor atomic_fetch_xor_explicit
    """,
    "6.15.12.7.7": """
        atomic_flag_test_and_set atomic_flag_test_and_set_explicit
    """,
    "6.15.12.7.8": """
        atomic_flag_clear atomic_flag_clear_explicit
    """,
    "6.15.12.8": """
        atom_add atom_and atom_cmpxchg atom_dec atom_inc atom_max atom_min atom_or atom_sub atom_xchg atom_xor atomic_add
        atomic_and atomic_cmpxchg atomic_dec atomic_inc atomic_max atomic_min atomic_or atomic_sub atomic_xchg atomic_xor
    """,
    "6.15.13": """
        shuffle shuffle2 vec_step
    """,
    "6.15.14": """
        printf
    """,
    "6.15.15.2": """
        read_imagef read_imageh read_imagei read_imageui
    """,
    "6.15.15.4": """
        write_imagef write_imageh write_imagei write_imageui
    """,
    "6.15.15.5": """
        get_image_array_size get_image_channel_data_type get_image_channel_order get_image_depth get_image_dim get_image_height
        get_image_num_mip_levels get_image_num_samples get_image_width
    """,
    "6.15.15.6": """
        atomic_work_item_fence
    """,
    "6.15.16": """
        work_group_all work_group_any work_group_broadcast work_group_reduce_add work_group_reduce_max work_group_reduce_min
        work_group_scan_exclusive_add work_group_scan_exclusive_max work_group_scan_exclusive_min work_group_scan_inclusive_add
        work_group_scan_inclusive_max work_group_scan_inclusive_min
    """,
    "6.15.17": """
        work_group_reduce_logical_xor work_group_reduce_and work_group_reduce_logical_and work_group_reduce_logical_or work_group_reduce_mul
        work_group_reduce_or work_group_reduce_xor work_group_scan_exclusive_and work_group_scan_exclusive_logical_and
        work_group_scan_exclusive_logical_or work_group_scan_exclusive_logical_xor work_group_scan_exclusive_mul
        work_group_scan_exclusive_or work_group_scan_exclusive_xor work_group_scan_inclusive_and
        work_group_scan_inclusive_logical_and work_group_scan_inclusive_logical_or work_group_scan_inclusive_logical_xor
        work_group_scan_inclusive_mul work_group_scan_inclusive_or work_group_scan_inclusive_xor
    """,
    "6.15.18.2": """
        commit_read_pipe commit_write_pipe is_valid_reserve_id read_pipe reserve_read_pipe reserve_write_pipe write_pipe
    """,
    "6.15.18.3": """
        work_group_commit_read_pipe work_group_commit_write_pipe work_group_reserve_read_pipe work_group_reserve_write_pipe
    """,
    "6.15.18.4": """
        get_pipe_max_packets get_pipe_num_packets
    """,
    "6.15.19": """
        capture_event_profiling_info create_user_event enqueue_kernel enqueue_marker get_default_queue
        get_kernel_preferred_work_group_size_multiple get_kernel_work_group_size is_valid_event ndrange_1D ndrange_2D ndrange_3D
        release_event retain_event set_user_event_status
    """,
    "6.15.20": """
        get_kernel_max_sub_group_size_for_ndrange get_kernel_sub_group_count_for_ndrange
        sub_group_all sub_group_any sub_group_broadcast sub_group_commit_read_pipe sub_group_commit_write_pipe
        sub_group_reduce_add sub_group_reduce_max sub_group_reduce_min sub_group_reserve_read_pipe sub_group_reserve_write_pipe
        sub_group_scan_exclusive_add sub_group_scan_exclusive_max sub_group_scan_exclusive_min sub_group_scan_inclusive_add
        sub_group_scan_inclusive_max sub_group_scan_inclusive_min
    """,
    "6.15.20.1": """
        get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask get_sub_group_lt_mask
        sub_group_ballot sub_group_ballot_bit_count sub_group_ballot_bit_extract sub_group_ballot_exclusive_scan
        sub_group_ballot_find_lsb sub_group_ballot_find_msb sub_group_ballot_inclusive_scan sub_group_broadcast_first
        sub_group_inverse_ballot sub_group_non_uniform_broadcast
    """,
    "6.15.20.2.1": """
        sub_group_clustered_reduce_add sub_group_clustered_reduce_max sub_group_clustered_reduce_min
        sub_group_clustered_reduce_mul
    """,
    "6.15.20.2.2": """
        sub_group_clustered_reduce_and sub_group_clustered_reduce_or sub_group_clustered_reduce_xor
    """,
    "6.15.20.2.3": """
        sub_group_clustered_reduce_logical_and sub_group_clustered_reduce_logical_or sub_group_clustered_reduce_logical_xor
    """,
    "6.15.20.3.1": """
        sub_group_non_uniform_reduce_add sub_group_non_uniform_reduce_max sub_group_non_uniform_reduce_min
        sub_group_non_uniform_reduce_mul sub_group_non_uniform_scan_exclusive_add sub_group_non_uniform_scan_exclusive_max
        sub_group_non_uniform_scan_exclusive_min sub_group_non_uniform_scan_exclusive_mul sub_group_non_uniform_scan_inclusive_add
        sub_group_non_uniform_scan_inclusive_max sub_group_non_uniform_scan_inclusive_min sub_group_non_uniform_scan_inclusive_mul
    """,
    "6.15.20.3.2": """
        sub_group_non_uniform_reduce_and sub_group_non_uniform_reduce_or sub_group_non_uniform_reduce_xor
        sub_group_non_uniform_scan_exclusive_and sub_group_non_uniform_scan_exclusive_or sub_group_non_uniform_scan_exclusive_xor
        sub_group_non_uniform_scan_inclusive_and sub_group_non_uniform_scan_inclusive_or sub_group_non_uniform_scan_inclusive_xor
    """,
    "6.15.20.3.3": """
        sub_group_non_uniform_reduce_logical_and sub_group_non_uniform_reduce_logical_or sub_group_non_uniform_reduce_logical_xor
        sub_group_non_uniform_scan_exclusive_logical_and sub_group_non_uniform_scan_exclusive_logical_or
        sub_group_non_uniform_scan_exclusive_logical_xor sub_group_non_uniform_scan_inclusive_logical_and
        sub_group_non_uniform_scan_inclusive_logical_or sub_group_non_uniform_scan_inclusive_logical_xor
    """,
    "6.15.20.4": """
        sub_group_elect sub_group_non_uniform_all sub_group_non_uniform_all_equal sub_group_non_uniform_any
    """,
    "6.15.20.5": """
        sub_group_rotate sub_group_clustered_rotate
    """,
    "6.15.20.6": """
        sub_group_shuffle sub_group_shuffle_xor
    """,
    "6.15.20.7": """
        sub_group_shuffle_down sub_group_shuffle_up
    """,
    "6.15.21": """
        clock_read_work_group clock_read_device clock_read_hilo_device clock_read_hilo_sub_group clock_read_hilo_work_group clock_read_sub_group
    """,
}

FUNCTIONS: dict[str, tuple[str, ...]] = {section: tuple(text.split()) for section, text in _SECTIONS.items()}

# What needs images shared with OpenGL (cl_khr_gl_msaa_sharing), which CUDA devices here have no part in.
WITHOUT_ROW = ("get_image_num_samples",)
