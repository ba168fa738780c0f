Feature: What has changed
  A capture can be compared with an earlier one of the same page.

  Scenario: A page that has not changed is no change
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "response": "json" }
      """
    Then the answer is 200
    Given I remember its "id" as "first"
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "compare_with": "previous", "response": "json" }
      """
    Then the answer is 200
    And it says:
      | change.compared_with | {first} |
      | change.changed       | false   |
      | change.ratio         | 0       |
    And it has 1 "files"

  Scenario: The words that have changed are shown
    When I POST to "/v1/capture":
      """
      { "html": "<h1>The shop is open</h1>", "format": "text", "response": "json" }
      """
    Then the answer is 200
    Given I remember its "id" as "first"
    When I POST to "/v1/capture":
      """
      { "html": "<h1>The shop is closed</h1>", "format": "text", "compare_with": "{first}", "response": "json" }
      """
    Then the answer is 200
    And it says:
      | change.changed | true |
      | files.1.name   | diff |
    Given I remember its "id" as "second"
    When I GET "/v1/captures/{second}/files/diff"
    Then it contains "-The shop is open"
    And it contains "+The shop is closed"
