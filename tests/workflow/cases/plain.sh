#!/bin/sh
# A script that nobody may execute, for the case W002.
echo plain
