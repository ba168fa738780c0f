Feature: Errors that can be mended
  A request that is wrong is answered with what is wrong, where, and how to mend it. Nothing is charged for it.

  Scenario: All mistakes of a request are named at once, each with its field, also of what is no request at all
    When I POST to "/v1/jobs":
      """
      {
        "url": "{site}/bands.html",
        "ful_page": true,
        "viewport_width": "wide",
        "outputs": [{ "name": "a", "format": "gif" }]
      }
      """
    Then the answer is 400 "invalid_request"
    And it has 3 "errors"
    And it says:
      | errors.0.pointer | /ful_page         |
      | errors.0.code    | unknown_field     |
      | errors.1.pointer | /viewport_width   |
      | errors.2.pointer | /outputs/0/format |
    And its "errors.0.detail" contains "full_page"
    When I GET "/v1/usage"
    Then it says:
      | used | 0 |
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html"
      """
    Then the answer is 400 "invalid_request"
    And its "detail" contains "JSON"
    When I GET "/v1/captuers"
    Then the answer is 404 "not_found"
