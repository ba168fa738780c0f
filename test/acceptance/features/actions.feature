Feature: Steps before the picture
  A capture can do what a person would do on the page first: fill in a form, click, wait. A password that it types stays with it.

  Scenario: A form is filled in and sent before the capture, and a step that cannot be done is named
    When I POST to "/v1/capture":
      """
      {
        "url": "{site}/actions/login.html",
        "format": "text",
        "actions": [
          { "type": "fill", "selector": "#user", "value": "ada" },
          { "type": "fill", "selector": "#password", "secret": "password" },
          { "type": "click", "selector": "text/Log in" },
          { "type": "wait", "selector": "text/Wrong password" }
        ],
        "secrets": { "password": "correct-horse" }
      }
      """
    Then the answer is 200
    And it contains "Wrong password [redacted]"
    And it does not contain "correct-horse"
    When I POST to "/v1/capture":
      """
      {
        "url": "{site}/actions/login.html",
        "actions": [
          { "type": "hover", "selector": "text/Log in" },
          { "type": "click", "selector": "#register", "timeout_ms": 300 }
        ]
      }
      """
    Then the answer is 422 "action_failed"
    And it says:
      | errors.0.pointer | /actions/1 |
      | errors.0.code    | no_element |
    And its "detail" contains "#register"
    When I GET "/v1/usage"
    Then it says:
      | used | 1 |
