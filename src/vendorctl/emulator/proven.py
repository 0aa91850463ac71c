# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which instructions have a golden: a test with a result that was worked out by hand.

The others are not unknown, but rest on the differential tests and on whole kernels alone. A test keeps this list and
the goldens equal.
"""

from __future__ import annotations

from vendorctl.emulator.instruction import Instruction

PROVEN = frozenset(
    """
    buffer_atomic_add_u32 buffer_gl0_inv buffer_load_b128 buffer_load_b32 buffer_load_dword buffer_load_dwordx2
    buffer_load_dwordx4 buffer_load_u16 buffer_load_ushort buffer_store_b128 buffer_store_b16 buffer_store_b32
    buffer_store_dword buffer_store_dwordx2 buffer_store_dwordx4 buffer_store_short ds_add_f32 ds_add_rtn_u32
    ds_bpermute_b32 ds_cmpst_rtn_b32 ds_cmpstore_rtn_b32 ds_load_2addr_b32 ds_load_b128 ds_load_b32 ds_load_b64
    ds_load_i8 ds_load_u16 ds_load_u16_d16 ds_load_u16_d16_hi ds_permute_b32 ds_read2_b32 ds_read2_b64
    ds_read2st64_b32 ds_read_b128 ds_read_b32 ds_read_b64 ds_read_b64_tr_b16 ds_read_u16 ds_store_2addr_b32
    ds_store_b128 ds_store_b16 ds_store_b16_d16_hi ds_store_b32 ds_store_b64 ds_swizzle_b32 ds_write2_b32
    ds_write2_b64 ds_write_b128 ds_write_b16 ds_write_b16_d16_hi ds_write_b32 ds_write_b64 global_atomic_add
    global_atomic_add_f32 global_atomic_add_u32 global_atomic_cmpswap global_atomic_cmpswap_b32
    global_atomic_max_u32 global_atomic_pk_add_f16 global_atomic_swap_b32 global_inv global_load_b128
    global_load_b32 global_load_b64 global_load_b96 global_load_d16_b16 global_load_d16_hi_b16 global_load_dword
    global_load_dwordx2 global_load_dwordx4 global_load_i8 global_load_short_d16_hi global_load_u16
    global_load_ushort global_store_b128 global_store_b16 global_store_b32 global_store_d16_hi_b16
    global_store_d16_hi_b8 global_store_dword global_store_dwordx2 global_store_dwordx4 global_store_short
    global_store_short_d16_hi global_wb s_abs_i32 s_add_co_ci_u32 s_add_co_i32 s_add_co_u32 s_add_f32 s_add_i32
    s_add_nc_u64 s_add_u32 s_addc_u32 s_addk_co_i32 s_addk_i32 s_and_b32 s_and_b64 s_and_not1_b32
    s_and_not1_saveexec_b32 s_and_saveexec_b32 s_and_saveexec_b64 s_andn2_b32 s_andn2_b64 s_andn2_saveexec_b64
    s_ashr_i32 s_ashr_i64 s_barrier s_barrier_signal s_barrier_wait s_bcnt1_i32_b32 s_bfe_i32 s_bfe_u32 s_bfm_b32
    s_bitcmp1_b32 s_branch s_brev_b32 s_buffer_load_b32 s_buffer_load_dword s_cbranch_execnz s_cbranch_execz
    s_cbranch_scc0 s_cbranch_scc1 s_cbranch_vccnz s_cbranch_vccz s_clause s_clz_i32_u32 s_cmp_eq_u32 s_cmp_eq_u64
    s_cmp_ge_i32 s_cmp_ge_u32 s_cmp_gt_f32 s_cmp_gt_i32 s_cmp_gt_u32 s_cmp_le_f32 s_cmp_le_i32 s_cmp_lg_u32
    s_cmp_lg_u64 s_cmp_lt_f32 s_cmp_lt_i32 s_cmp_lt_u32 s_cmp_ngt_f32 s_cmp_nlt_f32 s_cmpk_lt_i32 s_cselect_b32
    s_cselect_b64 s_ctz_i32_b32 s_cvt_f32_i32 s_cvt_f32_u32 s_cvt_i32_f32 s_cvt_u32_f32 s_delay_alu s_endpgm
    s_ff1_i32_b32 s_flbit_i32_b32 s_fmac_f32 s_load_b128 s_load_b256 s_load_b32 s_load_b64 s_load_dword
    s_load_dwordx2 s_load_dwordx4 s_load_dwordx8 s_load_u16 s_lshl2_add_u32 s_lshl_b32 s_lshl_b64 s_lshr_b32
    s_lshr_b64 s_max_i32 s_max_u32 s_maximum_f32 s_min_i32 s_min_u32 s_mov_b32 s_mov_b64 s_movk_i32 s_mul_f32
    s_mul_hi_i32 s_mul_hi_u32 s_mul_i32 s_mul_u64 s_mulk_i32 s_nand_b32 s_nop s_not_b32 s_or_b32 s_or_b64
    s_or_saveexec_b32 s_pack_lh_b32_b16 s_rndne_f32 s_sendmsg s_set_inst_prefetch_distance s_setprio s_sext_i32_i16
    s_sext_i32_i8 s_sleep s_sub_co_ci_u32 s_sub_co_i32 s_sub_co_u32 s_sub_f32 s_sub_i32 s_sub_nc_u64 s_sub_u32
    s_subb_u32 s_trunc_f32 s_wait_alu s_wait_dscnt s_wait_kmcnt s_wait_loadcnt s_wait_loadcnt_dscnt s_waitcnt
    s_waitcnt_depctr s_xor_b32 s_xor_b64 scratch_load_b32 scratch_load_dword scratch_store_b32 scratch_store_dwordx2
    v_accvgpr_mov_b32 v_accvgpr_read v_accvgpr_write v_add3_u32 v_add_co_ci_u32 v_add_co_u32 v_add_f16 v_add_f32
    v_add_f64 v_add_lshl_u32 v_add_nc_u16 v_add_nc_u32 v_add_u32 v_addc_co_u32 v_alignbit_b32 v_alignbyte_b32
    v_and_b16 v_and_b32 v_and_or_b32 v_ashrrev_i32 v_ashrrev_i64 v_bcnt_u32_b32 v_bfe_i32 v_bfe_u32 v_bfi_b32
    v_bfm_b32 v_bfrev_b32 v_bitop3_b32 v_ceil_f32 v_clz_i32_u32 v_cmp_class_f32 v_cmp_eq_u32 v_cmp_eq_u64
    v_cmp_ge_f32 v_cmp_ge_i32 v_cmp_gt_f32 v_cmp_gt_i32 v_cmp_gt_i64 v_cmp_gt_u32 v_cmp_gt_u64 v_cmp_le_i32
    v_cmp_lg_f32 v_cmp_lt_f32 v_cmp_lt_i32 v_cmp_lt_u32 v_cmp_lt_u64 v_cmp_ne_u32 v_cmp_ngt_f32 v_cmp_nlt_f32
    v_cmp_o_f32 v_cmp_u_f32 v_cmpx_eq_u32 v_cmpx_ge_i32 v_cmpx_gt_i32 v_cmpx_gt_u32 v_cndmask_b16 v_cndmask_b32
    v_cos_f32 v_cvt_f16_f32 v_cvt_f32_f16 v_cvt_f32_f64 v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_f32_ubyte1 v_cvt_f64_f32
    v_cvt_i32_f32 v_cvt_i32_i16 v_cvt_pk_bf16_f32 v_cvt_pk_f16_f32 v_cvt_pk_i16_i32 v_cvt_pk_rtz_f16_f32
    v_cvt_pkrtz_f16_f32 v_cvt_u32_f32 v_cvt_u32_u16 v_div_fixup_f32 v_div_fmas_f32 v_div_scale_f32 v_dot2_f32_bf16
    v_dot2_f32_f16 v_dot4_i32_i8 v_dot4_i32_iu8 v_exp_f32 v_ffbh_u32 v_ffbl_b32 v_floor_f32 v_fma_f16 v_fma_f32
    v_fma_f64 v_fma_mix_f32 v_fma_mixhi_f16 v_fma_mixlo_f16 v_fmaak_f32 v_fmac_f32 v_fmamk_f32 v_fract_f32
    v_frexp_exp_i32_f32 v_frexp_mant_f32 v_ldexp_f32 v_log_f32 v_lshl_add_u32 v_lshl_add_u64 v_lshl_or_b32
    v_lshlrev_b16 v_lshlrev_b32 v_lshlrev_b64 v_lshrrev_b16 v_lshrrev_b32 v_lshrrev_b64 v_mad_co_u64_u32
    v_mad_mix_f32 v_mad_mixhi_f16 v_mad_mixlo_f16 v_mad_u32_u24 v_mad_u64_u32 v_max3_f32 v_max3_num_f32 v_max3_u32
    v_max_f32 v_max_i32 v_max_num_f32 v_max_u32 v_maximum3_f32 v_maximum_f32 v_mbcnt_hi_u32_b32 v_mbcnt_lo_u32_b32
    v_med3_f32 v_med3_i32 v_mfma_f32_16x16x16_bf16 v_mfma_f32_16x16x16_f16 v_mfma_f32_16x16x32_bf16
    v_mfma_f32_16x16x32_fp8_fp8 v_mfma_f32_16x16x4_f32 v_mfma_f32_32x32x16_bf16 v_mfma_f32_32x32x16_f16
    v_mfma_f32_32x32x2_f32 v_mfma_f32_32x32x8_bf16 v_mfma_f32_32x32x8_f16 v_mfma_i32_16x16x32_i8
    v_mfma_i32_32x32x16_i8 v_min_f32 v_min_i32 v_min_u32 v_minimum_f32 v_mov_b16 v_mov_b32 v_mov_b64 v_mul_f32
    v_mul_hi_i32 v_mul_hi_u32 v_mul_i32_i24 v_mul_lo_u16 v_mul_lo_u32 v_mul_u32_u24 v_not_b32 v_or3_b32 v_or_b32
    v_pack_b32_f16 v_perm_b32 v_permlane16_b32 v_permlane16_swap_b32 v_permlane16_var_b32 v_permlane32_swap_b32
    v_permlanex16_b32 v_pk_add_f16 v_pk_add_f32 v_pk_add_u16 v_pk_fma_f16 v_pk_fma_f32 v_pk_lshlrev_b16 v_pk_mov_b32
    v_pk_mul_f16 v_pk_mul_f32 v_rcp_f32 v_rcp_iflag_f32 v_readfirstlane_b32 v_readlane_b32 v_rndne_f32 v_rsq_f32
    v_s_exp_f32 v_s_log_f32 v_s_rcp_f32 v_s_rsq_f32 v_s_sqrt_f32 v_sad_u8 v_sin_f32 v_sqrt_f32 v_sub_co_u32
    v_sub_f32 v_sub_nc_u16 v_sub_nc_u32 v_sub_u16 v_sub_u32 v_subrev_co_u32 v_subrev_f32 v_subrev_nc_u32
    v_subrev_u32 v_swap_b32 v_trunc_f32 v_wmma_f32_16x16x16_bf16 v_wmma_f32_16x16x16_f16 v_wmma_f32_16x16x16_fp8_fp8
    v_wmma_i32_16x16x16_iu8 v_writelane_b32 v_xor3_b32 v_xor_b32
    """.split()  # noqa: SIM905  # a wall of quotes would be harder to read
)


def single_mnemonics(instruction: Instruction) -> tuple[str, ...]:
    """The operations that an instruction performs: two for dual issue, under the names that they have alone."""
    if instruction.dual is None:
        return (instruction.mnemonic,)
    return tuple(half.replace("v_dual_", "v_") for half in instruction.dual)
