Feature: Usage and limits
  An account has an allowance of captures, a limit of captures at once and a limit of requests.

  Scenario: Only captures that succeed are charged
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html" }
      """
    Then the answer is 200
    When I POST to "/v1/capture":
      """
      { "url": "{site}/redirect-loop" }
      """
    Then the answer is 422 "target_redirect_loop"
    When I GET "/v1/usage"
    Then it says:
      | total                 | 1000 |
      | used                  | 1    |
      | available             | 999  |
      | concurrency.limit     | 10   |
      | concurrency.remaining | 10   |

  Scenario: A used-up allowance refuses the next capture
    Given my account has the limits:
      | allowance | 1 |
    When I POST to "/v1/capture":
      """
      { "html": "<h1>The first</h1>" }
      """
    Then the answer is 200
    When I POST to "/v1/capture":
      """
      { "html": "<h1>The second</h1>" }
      """
    Then the answer is 402 "allowance_exhausted"

  Scenario: An account that captures as much at once as it may has to wait
    Given my account has the limits:
      | concurrency | 1 |
    When I POST to "/v1/capture" without waiting:
      """
      { "url": "{site}/held" }
      """
    And I GET "/v1/usage" until its "concurrency.remaining" is "0"
    And I POST to "/v1/capture":
      """
      { "html": "<h1>One too many</h1>" }
      """
    Then the answer is 429 "concurrency_exceeded"
    And it has the headers:
      | retry-after | 1 |
    When the page "/held" answers at last
    And that request is answered
    Then the answer is 200 and a PNG of 1280 x 800 pixels

  Scenario: An account that asks too often is told when to come back
    Given my account has the limits:
      | rate  | 1 |
      | burst | 2 |
    When I GET "/v1/usage"
    And I GET "/v1/usage"
    Then the answer is 200
    When I GET "/v1/usage"
    Then the answer is 429 "rate_limited"
    And it has the headers:
      | retry-after | 60 |
