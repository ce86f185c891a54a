#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the device answers to good and bad plans.
. ./tap.sh
exec abi
