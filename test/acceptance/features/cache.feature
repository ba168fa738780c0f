Feature: Answers without a visit
  A capture that was made a short time ago can answer again, at once and without a charge.

  Scenario: The second of two equal requests is answered from the cache and costs nothing
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "cache_ttl_s": 600 }
      """
    Then the answer is 200 and a PNG of 1280 x 800 pixels
    And it has the headers:
      | x-cache | MISS |
    Given I remember its header "x-capture-id" as "first"
    When I POST to "/v1/capture":
      """
      { "cache_ttl_s": 600, "url": "{site}/bands.html", "viewport_width": 1280 }
      """
    Then the answer is 200 and a PNG of 1280 x 800 pixels
    And it has the headers:
      | x-cache            | HIT     |
      | x-capture-id       | {first} |
      | x-capture-billable | false   |
    When I GET "/v1/usage"
    Then it says:
      | used | 1 |

  Scenario: A new capture is made when the request forces it, and for every other account
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "cache_ttl_s": 600 }
      """
    Then it has the headers:
      | x-cache | MISS |
    When I POST to "/v1/capture":
      """
      { "url": "{site}/bands.html", "cache_ttl_s": 600, "force": true }
      """
    Then it has the headers:
      | x-cache            | BYPASS |
      | x-capture-billable | true   |
    When another account POSTs to "/v1/capture":
      """
      { "url": "{site}/bands.html", "cache_ttl_s": 600 }
      """
    Then it has the headers:
      | x-cache | MISS |
