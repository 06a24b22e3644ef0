/// Asio and the parser of Beast, compiled once for all sources that use them.

#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
