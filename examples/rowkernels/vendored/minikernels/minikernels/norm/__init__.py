# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Normalisation over the last axis."""
