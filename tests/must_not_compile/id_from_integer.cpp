// expect: conversion from 'int' to .*requested|no viable conversion from 'int'
#include "pawl/core/ids.hpp"

int main() {
  const pawl::JobId job = 1;
  return job == pawl::JobId{1} ? 0 : 1;
}
