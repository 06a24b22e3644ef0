# pawl_timeout(<seconds> <test>...): how long tests may take, on a quiet machine and a busy one. What a
# sanitizer's build needs longer is added here, once for all.

set(pawl_patience 1)
if(PAWL_SANITIZE MATCHES "thread")
  set(pawl_patience 6)
elseif(PAWL_SANITIZE)
  set(pawl_patience 3)
endif()

function(pawl_timeout seconds)
  math(EXPR stretched "${seconds} * ${pawl_patience}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${stretched})
endfunction()
