#pragma once

/// Asio's types as this server uses them: bound to one io_context, without type erasure, which
/// compiles and runs faster.

#include <chrono>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace pawl::service {

using IoContext = boost::asio::io_context;
using Tcp = boost::asio::ip::tcp;
using Socket = boost::asio::basic_stream_socket<Tcp, IoContext::executor_type>;
using Acceptor = boost::asio::basic_socket_acceptor<Tcp, IoContext::executor_type>;
using SteadyClock = std::chrono::steady_clock;
using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                IoContext::executor_type>;
using IoError = boost::system::error_code;

}  // namespace pawl::service
