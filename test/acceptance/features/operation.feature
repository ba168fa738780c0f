Feature: The service in operation
  An operator sees whether the service is well, and how much it does.

  Scenario: Probes answer without a key, and an account sees what the service is made of
    When a stranger GETs "/livez"
    Then the answer is 200
    When a stranger GETs "/readyz"
    Then the answer is 200
    When I GET "/v1/health"
    Then it says:
      | status                 | ok |
      | checks.database.status | ok |
      | checks.queue.status    | ok |
      | checks.workers.count   | 1  |
      | checks.workers.slots   | 2  |

  Scenario: A capture is counted in the metrics
    Given I watch the metric "capture_ended_total" where "format" is "mhtml"
    When I POST to "/v1/capture":
      """
      { "html": "<h1>Counted</h1>", "format": "mhtml" }
      """
    Then the answer is 200
    And that metric grows by 1
