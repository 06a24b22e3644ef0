# Compiles CASE; CMakeLists.txt describes the expected result.
list(TRANSFORM INCLUDES PREPEND "-I")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C
    "${COMPILER}" -std=c++23 -fsyntax-only -Wall -Wextra -Werror=unused-result ${INCLUDES} "${CASE}"
  RESULT_VARIABLE code
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said
)

cmake_path(GET CASE STEM name)
if(name STREQUAL "control")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} must compile, but:\n${said}")
  endif()
  return()
endif()

file(STRINGS "${CASE}" first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${name}: the first line must be `// expect: REGEX`")
endif()
set(expected "${CMAKE_MATCH_1}")
if(code EQUAL 0)
  message(FATAL_ERROR "${name} compiles, but must not")
endif()
if(NOT said MATCHES "${expected}")
  message(FATAL_ERROR "${name} is refused, but not with `${expected}`:\n${said}")
endif()
