#include "service/api/reply.hpp"

#include "pawl/views/documents.hpp"

namespace pawl::service {

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
    case ErrorCode::refused:
      return 409;
    case ErrorCode::invalid:
      return 400;
    case ErrorCode::forbidden:
      return 403;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::corrupt:
      return 500;
  }
  return 500;
}

Response json_response(unsigned status, const Json& document) {
  Response response{.status = status, .headers = {}, .body = document.text() + "\n"};
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  return response;
}

Response error_response(const Error& error) {
  Response response = json_response(status_of(error.code), failure_document(error));
  if (error.code == ErrorCode::unavailable) response.headers.add("Retry-After", "1");
  return response;
}

Response error_response(unsigned status, std::string_view code, std::string_view message,
                        std::string_view help) {
  return json_response(
      status,
      Json::object({{"error", Json::object({{"code", code},
                                            {"message", message},
                                            {"help", help.empty() ? Json() : Json(help)}})}}));
}

}  // namespace pawl::service
