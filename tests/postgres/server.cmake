# The PostgreSQL server that the tests share: started before the first test that needs it, stopped after
# the last, and also if ctest is killed. `ctest -R` starts it automatically.
if(NOT TARGET PkgConfig::libpq)
  pkg_check_modules(libpq REQUIRED IMPORTED_TARGET GLOBAL libpq)
endif()

set(pawl_server "${CMAKE_CURRENT_SOURCE_DIR}/postgres/private_server.py")
set(pawl_server_folder "${PROJECT_BINARY_DIR}/postgres")

# What these tests write need not survive a crash of the machine.
add_test(NAME postgres_server.start
  COMMAND Python3::Interpreter -B "${pawl_server}" start "${pawl_server_folder}" fsync=off)
add_test(NAME postgres_server.stop
  COMMAND Python3::Interpreter -B "${pawl_server}" stop "${pawl_server_folder}")
set_tests_properties(postgres_server.start PROPERTIES FIXTURES_SETUP postgres_server)
set_tests_properties(postgres_server.stop PROPERTIES FIXTURES_CLEANUP postgres_server)
pawl_timeout(120 postgres_server.start postgres_server.stop)

# The properties of a test that needs the server; the test reads the url from the file.
set(pawl_server_properties
  FIXTURES_REQUIRED postgres_server
  ENVIRONMENT "PAWL_TEST_POSTGRES_FILE=${pawl_server_folder}/url")
