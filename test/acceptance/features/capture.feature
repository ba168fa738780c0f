Feature: One capture at once
  A program sends the address of a page and gets the picture, the PDF or the text back in the same answer.

  Scenario: A page becomes a picture of the window that was asked for
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "viewport_width": 800, "viewport_height": 600 }
      """
    Then the answer is 200 and a PNG of 800 x 600 pixels
    And it has the headers:
      | x-capture-http-status | 200               |
      | x-capture-final-url   | {site}/bands.html |
      | x-capture-billable    | true              |

  Scenario: The whole page becomes one long picture, or a PDF
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "format": "webp", "full_page": true }
      """
    Then the answer is 200 and a WEBP of 1280 x 2000 pixels
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "format": "pdf" }
      """
    Then the answer is 200
    And it is a PDF

  Scenario: HTML of my own is captured without a server
    When I POST to "/v1/capture":
      """
      { "html": "<title>Bill</title><h1>You owe 12 coins</h1>", "format": "text" }
      """
    Then the answer is 200
    And it contains "You owe 12 coins"

  Scenario: The record says what was captured, and keeps the secrets of the request to itself
    When I POST to "/v1/capture":
      """
      { "url": "{site}/echo", "headers": { "x-visitor": "hunter2" }, "reference": "order 7", "response": "json" }
      """
    Then the answer is 200
    And it says:
      | status          | succeeded   |
      | source          | sync        |
      | reference       | order 7     |
      | url             | {site}/echo |
      | title           | Echo        |
      | http_status     | 200         |
      | width           | 1280        |
      | height          | 800         |
      | options.headers | [redacted]  |
    And it does not contain "hunter2"

  Scenario: An error page is a capture, unless the request says otherwise
    When I POST to "/v1/capture":
      """
      { "url": "{site}/status/404", "response": "json" }
      """
    Then the answer is 200
    And it says:
      | status      | succeeded  |
      | http_status | 404        |
      | title       | Status 404 |
    When I POST to "/v1/capture":
      """
      { "url": "{site}/status/404", "fail_on_status": ["4xx"] }
      """
    Then the answer is 422 "target_http_error"
