Feature: Jobs
  A program that does not want to wait submits a job, and asks for its result later.

  Scenario: A job is accepted at once, ends by itself and keeps its file
    When I POST to "/v1/jobs":
      """
      { "url": "{site}/slow?ms=300", "format": "jpeg" }
      """
    Then the answer is 202
    And it says:
      | source      | job  |
      | finished_at | null |
    Given I remember its "id" as "job"
    When I GET "/v1/jobs/{job}?wait=30"
    Then it says:
      | id       | {job}     |
      | status   | succeeded |
      | attempts | 1         |
    When I GET "/v1/jobs/{job}/result"
    Then the answer is 200 and a JPEG of 1280 x 800 pixels

  Scenario: A job that fails says why, and is not charged
    When I POST to "/v1/jobs":
      """
      { "url": "{site}/bands.html", "selector": "#nowhere", "timeout_ms": 2000 }
      """
    Then the answer is 202
    Given I remember its "id" as "job"
    When I GET "/v1/jobs/{job}?wait=30"
    Then it says:
      | status     | failed             |
      | billable   | false              |
      | error.code | selector_not_found |
    When I GET "/v1/usage"
    Then it says:
      | used | 0 |

  Scenario: A job that was sent twice with one Idempotency-Key runs once
    When I POST to "/v1/jobs" with the header "Idempotency-Key: order 7":
      """
      { "url": "{site}/bands.html" }
      """
    Then the answer is 202
    Given I remember its "id" as "job"
    When I POST to "/v1/jobs" with the header "Idempotency-Key: order 7":
      """
      { "url": "{site}/bands.html" }
      """
    Then the answer is 202
    And it says:
      | id | {job} |
    And it has the headers:
      | idempotency-replayed | true |
    When I POST to "/v1/jobs" with the header "Idempotency-Key: order 7":
      """
      { "url": "{site}/text.html" }
      """
    Then the answer is 422 "idempotency_mismatch"
    When I GET "/v1/usage"
    Then it says:
      | used | 1 |

  Scenario: A job that is no longer wanted is canceled, and is not charged
    When I POST to "/v1/jobs":
      """
      { "url": "{site}/hang" }
      """
    Then the answer is 202
    Given I remember its "id" as "job"
    When I DELETE "/v1/jobs/{job}"
    Then the answer is 200
    And it says:
      | status        | canceled       |
      | cancel_reason | client_request |
    When I GET "/v1/jobs/{job}/result"
    Then the answer is 409 "job_canceled"
    When I GET "/v1/usage"
    Then it says:
      | used | 0 |
