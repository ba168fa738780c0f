Feature: Many pages from one file
  A batch takes thousands of pages from JSON or from a spreadsheet. Each row has a result of its own.

  Scenario: The rows of a batch in JSON are captured, and one that fails does not stop the others
    When I POST to "/v1/bulk/json":
      """
      {
        "defaults": { "format": "webp", "fail_on_status": ["4xx"] },
        "items": [
          { "url": "{site}/bands.html", "reference": "home" },
          { "url": "{site}/status/404", "reference": "gone" },
          { "url": "{site}/text.html", "format": "pdf" }
        ]
      }
      """
    Then the answer is 202
    Given I remember its "id" as "batch"
    When I GET "/v1/bulk/{batch}" until its "status" is "completed"
    Then it says:
      | total            | 3 |
      | counts.succeeded | 2 |
      | counts.failed    | 1 |
      | progress         | 1 |
    When I GET "/v1/bulk/{batch}/results"
    Then it says:
      | items.0.row        | 1                 |
      | items.0.reference  | home              |
      | items.0.format     | webp              |
      | items.1.status     | failed            |
      | items.1.error.code | target_http_error |
      | items.2.format     | pdf               |

  Scenario: The rows of a spreadsheet are captured, and come back as a spreadsheet
    When I POST to "/v1/bulk/csv?format=jpeg" the CSV:
      """
      url,reference,viewport_width
      {site}/bands.html,wide,1024
      {site}/bands.html,narrow,500
      """
    Then the answer is 202
    Given I remember its "id" as "batch"
    When I GET "/v1/bulk/{batch}" until its "status" is "completed"
    And I GET "/v1/bulk/{batch}/results"
    Then it says:
      | items.0.reference | wide   |
      | items.0.width     | 1024   |
      | items.1.reference | narrow |
      | items.1.width     | 500    |
    When I GET "/v1/bulk/{batch}/download"
    Then it has the headers:
      | content-type | text/csv; charset=utf-8 |
    And it contains "wide"
    And it contains "{site}/bands.html,succeeded,200"

  Scenario: A spreadsheet with a mistake is refused as a whole, and the answer names its row and its column
    When I POST to "/v1/bulk/csv" the CSV:
      """
      url,viewport_width
      {site}/bands.html,800
      {site}/bands.html,wide
      """
    Then the answer is 400 "invalid_csv"
    And it has 1 "errors"
    And it says:
      | errors.0.row    | 2              |
      | errors.0.column | viewport_width |
      | errors.0.line   | 3              |
    When I GET "/v1/captures"
    Then it has 0 "items"
