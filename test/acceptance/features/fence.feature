Feature: The fence around the service
  A page reaches only public addresses. Whoever can send a request cannot look into the network of the operator.

  Scenario Outline: An address inside the fence is refused before anything is visited: <address>
    When I POST to "/v1/capture":
      """
      { "url": "<address>" }
      """
    Then the answer is <status> "<code>"
    When I GET "/v1/usage"
    Then it says:
      | used | 0 |

    Examples:
      | address                           | status | code             |
      | {service}/livez                   | 403    | target_forbidden |
      | http://2130706433/                | 403    | target_forbidden |
      | file:///etc/passwd                | 400    | invalid_request  |

  Scenario: A page cannot lead the browser through the fence
    When I POST to "/v1/capture":
      """
      { "url": "{site}/redirect?to={service}/livez" }
      """
    Then the answer is 403 "target_forbidden"
    When I POST to "/v1/capture":
      """
      { "html": "<p>Before</p><iframe src='{service}/livez'></iframe>", "response": "json" }
      """
    Then the answer is 200
    And it says:
      | blocked_requests | 1 |
