Feature: The history of an account
  Every capture has a record, which can be found again, and deleted.

  Scenario: Captures are listed newest first, page by page, and found by their reference
    Given I POST to "/v1/capture":
      """
      { "html": "<h1>One</h1>", "reference": "order 7" }
      """
    And I POST to "/v1/capture":
      """
      { "html": "<h1>Two</h1>", "reference": "order 8" }
      """
    And I POST to "/v1/capture":
      """
      { "html": "<h1>Three</h1>", "reference": "order 8" }
      """
    When I GET "/v1/captures?limit=2"
    Then it has 2 "items"
    Given I remember its "next_cursor" as "cursor"
    And I remember its "items.0.id" as "newest"
    When I GET "/v1/captures?limit=2&cursor={cursor}"
    Then it has 1 "items"
    And it says:
      | items.0.reference | order 7 |
      | next_cursor       | null    |
    When I GET "/v1/captures?reference=order%208"
    Then it has 2 "items"
    And it says:
      | items.0.id | {newest} |

  Scenario: A deleted capture gives its file and its words up, and stays counted
    When I POST to "/v1/capture":
      """
      { "html": "<title>My diary</title><h1>Secret</h1>", "response": "json" }
      """
    Then it says:
      | title | My diary |
    Given I remember its "id" as "capture"
    When I DELETE "/v1/captures/{capture}"
    Then the answer is 200
    When I GET "/v1/captures/{capture}/result"
    Then the answer is 410 "result_expired"
    When I GET "/v1/captures/{capture}"
    Then the answer is 200
    And it says:
      | id     | {capture} |
      | status | succeeded |
      | title  | null      |
    And it does not contain "diary"
    When I GET "/v1/usage"
    Then it says:
      | used | 1 |
