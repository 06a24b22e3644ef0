# Installs BUILD below WORK, builds PROJECT with it and runs the result. Then does the same with the tests of a
# user, as the guide shows them.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "${command}\nended with ${code}:\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# Starts from scratch each time: a header left over from the last run would hide a missing one.
file(REMOVE_RECURSE "${WORK}")

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
macro(build project folder)
  run("${CMAKE_COMMAND}" -S "${project}" -B "${folder}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
    "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
  run("${CMAKE_COMMAND}" --build "${folder}")
endmacro()
build("${PROJECT}" "${WORK}/build")
run("${WORK}/build/consumer")
if(NOT said MATCHES "pawl ${VERSION}")
  message(FATAL_ERROR "expected the version ${VERSION}, got:\n${said}")
endif()
message(STATUS "${said}")

build("${TESTS_OF_A_USER}" "${WORK}/tests_of_a_user")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/tests_of_a_user" --no-tests=error --output-on-failure)
message(STATUS "${said}")
