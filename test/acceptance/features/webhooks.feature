Feature: Webhooks
  The service calls the program when a job or a batch has ended, so that the program need not ask.

  Scenario: The end of a job is announced with its record, and the delivery can be looked up
    When I POST to "/v1/jobs":
      """
      { "url": "{site}/bands.html", "reference": "order 7", "webhook_url": "{receiver}" }
      """
    Then the answer is 202
    Given I remember its "id" as "job"
    Then a webhook "capture.succeeded" arrives, signed with my secret
    And it says:
      | data.id        | {job}     |
      | data.status    | succeeded |
      | data.reference | order 7   |
      | data.width     | 1280      |
    When I GET "/v1/jobs/{job}" until its "webhook.state" is "delivered"
    Then it says:
      | webhook.attempts    | 1   |
      | webhook.last_status | 204 |

  Scenario: The end of a batch is announced once for all of its rows
    When I POST to "/v1/bulk/json":
      """
      { "items": [{ "html": "<h1>One</h1>" }, { "html": "<h1>Two</h1>" }], "webhook_url": "{receiver}" }
      """
    Then the answer is 202
    Given I remember its "id" as "batch"
    Then a webhook "batch.completed" arrives, signed with my secret
    And it says:
      | data.id               | {batch} |
      | data.counts.succeeded | 2       |
    When I GET "/v1/webhooks/deliveries"
    Then it has 1 "items"
