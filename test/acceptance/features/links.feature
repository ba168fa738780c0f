Feature: Signed links
  A link shows a capture to everybody who has it, without an API key, and nobody can change what it shows.

  Scenario: A stranger sees the picture of a link
    When I POST to "/v1/links":
      """
      { "url": "{site}/bands.html", "format": "webp", "image_width": 320, "expires_in_s": 600 }
      """
    Then the answer is 200
    Given I remember its "url" as "link"
    When a stranger GETs "{link}"
    Then the answer is 200 and a WEBP of 320 x 200 pixels
    When a stranger GETs "{link}"
    Then the answer is 200
    And it has the headers:
      | x-cache | HIT |

  Scenario: A link that somebody has changed is refused
    When I POST to "/v1/links":
      """
      { "url": "{site}/bands.html", "expires_in_s": 600 }
      """
    Then the answer is 200
    Given I remember its "url" as "link"
    When a stranger GETs "{link}0"
    Then the answer is 403 "signature_invalid"
