#!/bin/sh
# A hook that waits for something that never comes, in a pipeline.
sleep 600 | cat
