# Runs PROGRAM and fails unless it exits with 0, its last line says that all promises were kept,
# and its output matches each of the regular expressions in EXPECTED (joined by @@).
execute_process(COMMAND "${PROGRAM}"
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
message("${output}${errors}")
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
string(REPLACE "@@" ";" patterns "${EXPECTED}")
foreach(pattern IN LISTS patterns ITEMS "All as promised.\n$")
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "the output does not have: ${pattern}")
  endif()
endforeach()
